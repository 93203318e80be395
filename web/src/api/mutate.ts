import { useMutation, useQueryClient } from '@tanstack/react-query'

/** A change after which the queries with the given first keys are read again. */
export function useChange<Input, Output>(work: (input: Input) => Promise<Output>, ...keys: string[]) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSettled: () => Promise.all(keys.map((key) => cache.invalidateQueries({ queryKey: [key] }))),
  })
}
