// all.mjs - layers of a run, kernels launched together, the breakdown comparison: one server,
// one browser.

import {played} from '../smoke/played.mjs';
import breakdownComparison from './breakdown_compare.mjs';
import looks from './looks.mjs';
import real from './real.mjs';
import run from './run.mjs';

played('layers', [run, breakdownComparison, real, looks]);
