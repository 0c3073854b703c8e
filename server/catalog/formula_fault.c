/* formula_fault.c - why there is no number. */
#include "formula_evaluation.h"

bool fault_too_large(const struct evaluation *x)
{
	return err_set(x->err, ERR_TOO_LARGE,
		"a figure of the cost of '%s' passes 64 bits", x->who);
}

bool fault(const struct evaluation *x, const char *what)
{
	return err_set(x->err, ERR_INPUT, "the cost of '%s' cannot be told: %s",
		x->who, what);
}

bool fault_not_told(const struct evaluation *x, const char *name)
{
	return err_set(x->err, ERR_INPUT,
		"the cost of '%s' needs its size '%s', which is not told",
		x->who, name);
}
