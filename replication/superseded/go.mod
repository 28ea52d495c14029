// A module of its own, as replication/records is.
module github.com/warptime/warptime/replication/superseded

go 1.26
