// all.mjs - what matters, a run's operators, the catalogue: one server, one browser.

import {played} from '../smoke/played.mjs';
import catalogue from './catalogue.mjs';
import fleet from './fleet.mjs';
import looks from './looks.mjs';
import run from './run.mjs';
import sets from './sets.mjs';

played('what matters', [sets, fleet, run, catalogue, looks]);
