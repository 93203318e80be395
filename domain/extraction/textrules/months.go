package textrules

import "strings"

// monthNames are the names of months and their usual short forms, folded.
var monthNames = monthsOf(
	"january jan januar jaenner janner janvier janv enero ene gennaio gen januari janeiro styczen stycznia sty tammikuu tammikuuta leden ledna ianuarie ιανουαριοσ ιανουαριου ιαν януари яну януари",
	"february feb februar fevrier fevr fev febrero febbraio febbr februari fevereiro luty lutego lut helmikuu helmikuuta unor unora februarie φεβρουαριοσ φεβρουαριου φεβ февруари фев",
	"march mar marz maerz mrz mars marzo maart mrt marco marzec marca maaliskuu maaliskuuta brezen brezna martie μαρτιοσ μαρτιου μαρ март мар",
	"april apr avril avr abril abr aprile kwiecien kwietnia kwi huhtikuu huhtikuuta duben dubna aprilie απριλιοσ απριλιου απρ април апр",
	"may mai mayo maggio mag mei maio maj maja toukokuu toukokuuta kveten kvetna μαιοσ μαιου μαι май",
	"june jun juni juin junio giugno giu junho czerwiec czerwca cze kesakuu kesakuuta cerven cervna iunie ιουνιοσ ιουνιου ιουν юни",
	"july jul juli juillet juil julio luglio lug julho lipiec lipca lip heinakuu heinakuuta cervenec cervence iulie ιουλιοσ ιουλιου ιουλ юли",
	"august aug aout agosto ago augustus augusti sierpien sierpnia sie elokuu elokuuta srpen srpna αυγουστοσ αυγουστου αυγ август авг",
	"september sep sept septembre septiembre set settembre setembro wrzesien wrzesnia wrz syyskuu syyskuuta zari septembrie σεπτεμβριοσ σεπτεμβριου σεπ септември сеп септ",
	"october oct oktober okt octobre octubre ottobre ott outubro out pazdziernik pazdziernika paz lokakuu lokakuuta rijen rijna octombrie οκτωβριοσ οκτωβριου οκτ октомври окт",
	"november nov novembre noviembre novembro listopada marraskuu marraskuuta noiembrie νοεμβριοσ νοεμβριου νοε ноември ное ноем",
	"december dec dezember dez decembre diciembre dic dicembre dezembro grudzien grudnia gru joulukuu joulukuuta prosinec prosince decembrie δεκεμβριοσ δεκεμβριου δεκ декември дек",
)

func monthsOf(lists ...string) map[string]int {
	m := map[string]int{}
	for i, list := range lists {
		for _, name := range strings.Fields(list) {
			m[Fold(name)] = i + 1
		}
	}
	return m
}
