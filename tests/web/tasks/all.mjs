// all.mjs - does the seven tasks of a user, each from the home page, with one server and one browser.

import {played} from '../smoke/played.mjs';
import fill from './fill.mjs';
import tasks from './tasks.mjs';

played('tasks of users', [fill, tasks]);
