// Package book_test opens the book as its readers do.
package book_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/warptime/warptime/internal/check"
	"github.com/warptime/warptime/internal/need"
	"github.com/warptime/warptime/notebooks/internal/browser"
)

const (
	// book names the variable for the folder of a book that scripts/notebooks.sh --html has made.
	book = "WARPTIME_BOOK"
	// axe names the variable for axe-core's axe.min.js, which finds what keeps people out.
	axe = "WARPTIME_AXE"
)

// A page is what a browser finds in one.
type page struct {
	Links  []string `json:"links"` // addresses, of pictures and scripts too
	IDs    []string `json:"ids"`   // where links may lead
	Wide   []string `json:"wide"`  // what is wider than the screen
	Axe    []string `json:"axe"`   // serious and critical findings
	Themes []string // pictures that are not the same in light and in dark colours
}

// Every page of the book, on a laptop and on a phone, is as wide as the screen, writes no error to the console, leads
// nowhere that is not there, and has no serious finding of axe-core: on a laptop in light colours, on a phone in dark.
// Its pictures are the same in both, since captions name their colours.
func TestBook(t *testing.T) {
	dir := bookDir(t)
	var finder string
	if path := os.Getenv(axe); path != "" {
		finder = string(check.Read(t, path))
	}
	ctx, errorsOf := browser.Start(t)
	pages := map[string]page{}
	for _, path := range paths(t, dir) {
		find := finder
		if strings.Contains(filepath.ToSlash(path), "/figures/") && strings.Contains(path, "beyond") {
			find = "" // made like the pages of the papers' figures
		}
		found, err := open(ctx, path, find)
		check.OK(t, err, path)
		pages[path] = found
		for _, what := range slices.Concat(found.Wide, found.Axe, found.Themes, errorsOf()) {
			t.Errorf("%s: %s", path, what)
		}
	}
	var shelves []string
	gallery := url.URL{Scheme: "file", Path: filepath.Join(dir, "figures", "README.html")}
	err := chromedp.Run(ctx, chromedp.Navigate(gallery.String()), chromedp.Evaluate(
		`[...document.querySelectorAll("article section > .gallery")].map(gallery =>
			gallery.querySelector("a").pathname + gallery.previousElementSibling.innerText)`, &shelves))
	for i, want := range []string{
		`/warp/fig1\.html.*warp time`, `/context/fig1\.html.*Contextual`, `/beyond-.*Our own`,
	} {
		check.Must(t, err == nil && len(shelves) == 3 && regexp.MustCompile(want).MatchString(shelves[i]),
			"the figures' shelves are %q, %v", shelves, err)
	}
	for _, query := range []string{"gate", "T_max"} {
		var hits int
		search := url.URL{Scheme: "file", Path: filepath.Join(dir, "search.html"), RawQuery: "q=" + query}
		err := chromedp.Run(ctx, chromedp.Navigate(search.String()), chromedp.Poll(
			`document.querySelectorAll("#search-results li").length`, &hits, chromedp.WithPollingTimeout(0)))
		if said := errorsOf(); err != nil || hits == 0 || len(said) > 0 {
			t.Errorf("a search for %s finds %d pages, %v, %q", query, hits, err, said)
		}
	}
	for path, found := range pages {
		for _, link := range found.Links {
			if err := leads(link, pages); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	t.Run("axe", func(t *testing.T) {
		if finder == "" {
			need.Skip(t, "axe", axe+" names no axe.min.js: npm pack axe-core has one")
		}
	})
}

// bookDir is the absolute path of the book.
func bookDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(book)
	if dir == "" {
		t.Skipf("%s names no book: scripts/notebooks.sh --html makes one in out/book", book)
	}
	dir = check.Got(filepath.Abs(dir))(t)
	return dir
}

// The book leaves out nothing that the notebooks say: in its Markdown, MyST, more is a comment than in Jupyter's. Its
// pictures say what they show.
func TestBookIsWhole(t *testing.T) {
	dir := bookDir(t)
	var (
		markup = regexp.MustCompile(`<[^>]*>`)
		hidden = regexp.MustCompile("(?s)```.*?```|<!--.*?-->|\\$.*?\\$")
		words  = regexp.MustCompile(`\w+(?:,? \w+){3,}`)                   // without marks that the book sets otherwise
		silent = regexp.MustCompile(`<img[^>]* alt="([^"]*\.(svg|png))?"`) // Sphinx takes the file's name
	)
	notebooks, err := filepath.Glob("../*.ipynb")
	check.Must(t, err == nil && len(notebooks) != 0, "%d notebooks, %v", len(notebooks), err)
	for _, path := range notebooks {
		var notebook struct {
			Cells []struct {
				Type   string   `json:"cell_type"`
				Source []string `json:"source"`
			} `json:"cells"`
		}
		check.OK(t, json.Unmarshal(check.Read(t, path), &notebook))
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb")
		page := string(check.Read(t, filepath.Join(dir, "notebooks", name+".html")))
		unnamed := silent.FindString(page)
		check.That(t, unnamed == "", "%s: a picture has no words: %s", name, unnamed)
		page = strings.Join(strings.Fields(markup.ReplaceAllString(page, "")), " ")
		for i, cell := range notebook.Cells {
			if cell.Type != "markdown" {
				continue
			}
			for _, some := range words.FindAllString(hidden.ReplaceAllString(strings.Join(cell.Source, ""), ""), -1) {
				check.That(t, strings.Contains(page, some), "%s, cell %d: the book does not say %q", path, i, some)
			}
		}
	}
}

// paths are those of the book's pages.
func paths(t *testing.T, dir string) []string {
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "_static" {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".html") {
			all = append(all, path)
		}
		return err
	})
	check.Must(t, err == nil && len(all) >= 20, "%d pages in %s, %v", len(all), dir, err)
	return all
}

// look finds a page's links and ids, and lookWide what is wider than the screen.
const (
	look = `({
		links: [...document.querySelectorAll("[href], [src]")].map((e) => e.href || e.src)
			.filter((address) => typeof address === "string"),
		ids: [...document.querySelectorAll("[id]")].map((e) => e.id),
	})`
	lookWide = `scrolled = (e) => e.parentElement !== document.body && (e = e.parentElement) &&
			(getComputedStyle(e).overflowX !== "visible" || scrolled(e));
		document.documentElement.scrollWidth <= innerWidth ? [] :
		[...document.querySelectorAll("article *, main *")]
			.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !scrolled(e)).slice(0, 3)
			.map((e) => innerWidth + " pixels are too few for <" + e.tagName + " class=" + e.className + "> " +
				(e.textContent ?? "").trim().slice(0, 60))`
	ready   = `(window.MathJax?.startup?.promise ?? Promise.resolve()).then(() => true)`
	lookAxe = `axe.run({preload: false, resultTypes: ["violations"]}).then((found) => found.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" · ")))`
)

// open returns what is found in a page.
func open(ctx context.Context, path, finder string) (page, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	wait := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	var found page
	var phone []string
	address := url.URL{Scheme: "file", Path: path}
	err := chromedp.Run(ctx,
		scheme("light"), chromedp.EmulateViewport(1280, 800), chromedp.Navigate(address.String()),
		chromedp.Evaluate(ready, nil, wait), chromedp.Evaluate(look, &found), chromedp.Evaluate(lookWide, &found.Wide),
		chromedp.EmulateViewport(390, 844), chromedp.Evaluate(lookWide, &phone))
	found.Wide = append(found.Wide, phone...)
	if err == nil && finder != "" {
		var dark []string
		err = chromedp.Run(ctx, chromedp.Evaluate(finder, nil),
			scheme("dark"), chromedp.Evaluate(lookAxe, &dark, wait),
			scheme("light"), chromedp.EmulateViewport(1280, 800), chromedp.Evaluate(lookAxe, &found.Axe, wait))
		for _, what := range dark {
			found.Axe = append(found.Axe, "on a phone, in the dark: "+what)
		}
	}
	if err == nil {
		found.Themes, err = themes(ctx)
	}
	return found, err
}

// scheme makes pages light or dark.
func scheme(name string) chromedp.Action {
	feature := emulation.MediaFeature{Name: "prefers-color-scheme", Value: name}
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{&feature})
}

// colours finds all that says which colours the pictures of a page have: a text for each.
const colours = `[...document.querySelectorAll("article img, article figure > svg, canvas")].map((picture) => {
	const of = (e, ...names) => names.map((name) => getComputedStyle(e)[name]);
	const found = [picture.outerHTML.slice(0, 80), of(picture, "backgroundColor"), picture.toDataURL?.()];
	for (let e = picture; e; e = e.parentElement) found.push(of(e, "filter", "mixBlendMode", "opacity"));
	for (const e of picture.querySelectorAll("*")) found.push(of(e, "fill", "opacity", "stroke"));
	return found.join(" ");
})`

// themes are the pictures of a page that do not have the same colours in light, which it is in, and in dark.
func themes(ctx context.Context) (differ []string, err error) {
	var light, dark []string
	var text string
	const ink = `getComputedStyle(document.body).color`
	err = chromedp.Run(ctx, chromedp.Evaluate(colours, &light), chromedp.Evaluate(ink, &text))
	if err == nil {
		err = chromedp.Run(ctx, scheme("dark"), chromedp.Poll(ink+` !== "`+text+`"`, nil),
			chromedp.Evaluate(colours, &dark))
	}
	for i := range min(len(light), len(dark)) {
		if light[i] != dark[i] {
			differ = append(differ, fmt.Sprintf("a picture has other colours in the dark: %.300s", dark[i]))
		}
	}
	return differ, err
}

// leads returns an error if a link leads to no file of the book, or to no place in a page.
func leads(link string, pages map[string]page) error {
	address, err := url.Parse(link)
	if err != nil || address.Scheme != "file" {
		return err // what is elsewhere is not looked up
	}
	if _, err := os.Stat(address.Path); err != nil {
		return fmt.Errorf("leads to %s, which is not there", link)
	}
	to, ok := pages[address.Path]
	if ok && address.Fragment != "" && strings.HasSuffix(address.Path, ".html") &&
		!slices.Contains(to.IDs, address.Fragment) && !strings.Contains(address.Fragment, "=") {
		return fmt.Errorf("leads to %s, where there is no such place", link)
	}
	return nil
}
