// all.mjs - tests the layer pages with one server and one browser.
//
// They show the layers of a run, kernels launched together, and the breakdown comparison.

import {played} from '../smoke/played.mjs';
import breakdownComparison from './breakdown_compare.mjs';
import looks from './looks.mjs';
import real from './real.mjs';
import run from './run.mjs';

played('layers', [run, breakdownComparison, real, looks]);
