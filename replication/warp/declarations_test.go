package warp

import (
	"testing"

	"github.com/warptime/warptime/replication/papertest"
)

func TestDeclarations(t *testing.T) { papertest.Declarations(t, Figures()) }

func TestNames(t *testing.T) { papertest.Names(t, Figures()) }

func TestScales(t *testing.T) { papertest.Scales(t, Figures()) }

func TestCommittedRecords(t *testing.T) { papertest.Records(t, Paper, Figures()) }
