package run

// What tests look at from within.
var (
	Checked  = checked
	Describe = (*Ask).describe
	Manage   = (*Limiter).manage
)
