// late_script.js - loads the script of the pages and tabs that few visits need.

import {Failure} from './api.js';

// Returns the module late.js. A browser does not request a script again that failed once, and the
// names of scripts change with the version of the server.
export const lateScript = () =>
	import('../late.js').catch(() => {
		throw new Failure(0, 'unreachable', 'a script of this page cannot be loaded; reload the page in the browser');
	});
