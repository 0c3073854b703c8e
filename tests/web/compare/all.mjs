// all.mjs - comparisons, iterations and jobs: one server, one browser.

import {played} from '../smoke/played.mjs';
import flow from './flow.mjs';
import looks from './looks.mjs';
import views from './views.mjs';

played('comparisons', [flow, views, looks]);
