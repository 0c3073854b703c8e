// all.mjs - tests signing in and the settings with one server and one browser.

import {played} from '../smoke/played.mjs';
import looks from './looks.mjs';
import settings from './settings.mjs';
import signing from './signing.mjs';

played('settings', [signing, settings, looks]);
