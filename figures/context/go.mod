// The pictures are a module of their own, without packages, so that they are not in what an importer downloads.
module github.com/warptime/warptime/figures/context

go 1.26
