// all.mjs - runs all steps with one server and one browser.
//
// Each step uses what the previous steps uploaded, so their order is fixed.

import commands from './commands.mjs';
import diagnosis from './diagnosis.mjs';
import finding from './finding.mjs';
import first from './first.mjs';
import flame from './flame.mjs';
import graphs from './graphs.mjs';
import keyboard from './keyboard.mjs';
import launches from './launches.mjs';
import looks from './looks.mjs';
import {played} from './played.mjs';
import run from './run.mjs';
import runs from './runs.mjs';
import share from './share.mjs';
import strips from './strips.mjs';
import timeline from './timeline.mjs';
import tokens from './tokens.mjs';
import uploads from './uploads.mjs';

played('the page', [first, uploads, runs, finding, run, keyboard, timeline, strips, launches, graphs, flame, diagnosis, share, tokens, looks, commands]);
