package figures

import "strconv"

// nbsp is a space that no line is broken at.
const nbsp = "\u00a0"

// count writes a number of things: "1 trial", "30,000 updates".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + nbsp + noun
}

// Thousands writes a number with a comma before every three digits.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
