package main

import (
	"encoding/json"
	"path/filepath"

	"github.com/warptime/warptime/figures"
	"github.com/warptime/warptime/replication/record"
)

// writeWeb writes all figures for pages of HTML: warp/fig3.svg, to be put into a page; if it has lines, the same for a
// phone as warp/fig3.narrow.svg, and its points as warp/fig3.csv; and in figures.json the titles and captions, in the
// papers' order, and the conditions: a head, and rows.
func writeWeb(dir string, pages []*figures.Page) error {
	var all []map[string]any
	for _, page := range pages {
		all = append(all, map[string]any{"id": page.ID(), "title": page.Title, "caption": page.Caption,
			"alt": page.Alt(), "conditions": page.Table})
		path := filepath.Join(dir, filepath.FromSlash(page.ID()))
		for extension, of := range map[string]func() ([]byte, error){
			".svg": page.Inline, ".narrow.svg": page.Narrow, ".csv": page.CSV,
		} {
			content, err := of()
			if err != nil {
				return err
			}
			if len(content) == 0 {
				continue
			}
			if err := record.WriteFile(path+extension, content); err != nil {
				return err
			}
		}
	}
	index, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return record.WriteFile(filepath.Join(dir, "figures.json"), append(index, '\n'))
}
