package warp

import (
	"testing"

	"github.com/warptime/warptime/replication/papertest"
)

func TestDeclarations(t *testing.T) { papertest.Declarations(t, Paper) }

func TestNames(t *testing.T) { papertest.Names(t, Paper) }

func TestScales(t *testing.T) { papertest.Scales(t, Paper) }

func TestCommittedRecords(t *testing.T) { papertest.Records(t, Paper) }
