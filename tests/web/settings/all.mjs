// all.mjs - tests signing in, the settings and changes of runs with one server and one browser.

import {played} from '../smoke/played.mjs';
import looks from './looks.mjs';
import manage from './manage.mjs';
import settings from './settings.mjs';
import signing from './signing.mjs';

played('settings', [signing, settings, manage, looks]);
