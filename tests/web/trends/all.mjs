// all.mjs - tests the home page and the pages of trends and gates with one server and one browser.

import {played} from '../smoke/played.mjs';
import gates from './gates.mjs';
import home from './home.mjs';
import looks from './looks.mjs';
import real from './real.mjs';
import trends from './trends.mjs';

played('trends and gates', [trends, gates, home, real, looks]);
