// all.mjs - tests the pages of comparisons, iterations and jobs with one server and browser.

import {played} from '../smoke/played.mjs';
import flow from './flow.mjs';
import looks from './looks.mjs';
import operators from './operators.mjs';
import views from './views.mjs';

played('comparisons', [flow, views, operators, looks]);
