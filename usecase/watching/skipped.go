package watching

import (
	"context"
	"slices"

	"docledger/domain/integration"
	"docledger/domain/page"
	"docledger/domain/watch"
)

// Skipped lists the files of an integration's location that are not ingested, with the reasons. The
// caller has checked that the integration is in the scope.
func (s *Service) Skipped(ctx context.Context, i *integration.Integration, p page.Request) (page.Of[watch.SkippedFile], error) {
	nodes, err := s.Nodes.Skipped(ctx, i.ID, p)
	if err != nil {
		return page.Of[watch.SkippedFile]{}, err
	}
	folders, err := s.Nodes.Folders(ctx, i.ID)
	if err != nil {
		return page.Of[watch.SkippedFile]{}, err
	}
	tree := watch.NewTree(folders, s.Providers.Find(i.Provider).CaseInsensitive)
	out := page.Of[watch.SkippedFile]{Next: nodes.Next, Items: make([]watch.SkippedFile, 0, len(nodes.Items))}
	for n := range slices.Values(nodes.Items) {
		folder, _ := tree.Path(n.Parent)
		out.Items = append(out.Items, watch.SkippedFile{Path: join(folder, n.Name), Reason: n.Reason, At: n.SkippedAt})
	}
	return out, nil
}
