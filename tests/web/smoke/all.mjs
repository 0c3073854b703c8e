// all.mjs - one server, one browser, and the steps in order: each continues with what the
// previous ones uploaded.

import first from './first.mjs';
import graphs from './graphs.mjs';
import keyboard from './keyboard.mjs';
import launches from './launches.mjs';
import looks from './looks.mjs';
import {played} from './played.mjs';
import run from './run.mjs';
import runs from './runs.mjs';
import timeline from './timeline.mjs';
import tokens from './tokens.mjs';
import uploads from './uploads.mjs';

played('the page', [first, uploads, runs, run, keyboard, timeline, launches, graphs, tokens, looks]);
