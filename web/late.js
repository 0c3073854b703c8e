// late.js - what few visits need, so that the first view does not load it: the bundler makes this
// module, and what only it uses, a script of its own.

import * as breakdown from './pages/breakdown.js';
import * as catalog from './pages/catalog.js';
import * as help from './pages/help.js';
import * as settings from './pages/settings.js';

export {copyTab} from './pages/run_copies.js';
export {groupTab} from './pages/run_groups.js';
export {iterationTab} from './pages/run_iterations.js';
export {launchTab} from './pages/run_launches.js';
export {layerTab} from './pages/run_layers.js';
export {measureTab} from './pages/run_measures.js';
export {patternTab} from './pages/run_patterns.js';
export {timelineTab} from './timeline/timeline_tab.js';
export const PAGES = {breakdown, catalog, help, settings};
