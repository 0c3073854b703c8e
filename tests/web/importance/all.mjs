// all.mjs - tests importance, a run's operators and the catalog with one server and browser.

import {played} from '../smoke/played.mjs';
import catalog from './catalog.mjs';
import fleet from './fleet.mjs';
import looks from './looks.mjs';
import run from './run.mjs';
import sets from './sets.mjs';

played('importance', [sets, fleet, run, catalog, looks]);
