// looks.mjs - checks how the settings look in light, in dark and at 320 pixels.

import {looked} from '../smoke/accessible.mjs';
import {signedIn} from '../smoke/world.mjs';

export default async function looks(test, {open, kernsiftd, shots}) {
	const token = (await kernsiftd('token', '--scope', 'admin', '--name', 'a user with a long name')).trim();
	for (const tab of ['account', 'tokens', 'webhooks', 'retention', 'audit'])
		await test(`settings, ${tab}, in light, in dark and narrow`, async () => {
			const page = await open('/settings');
			await signedIn(page, token);
			await page.goto(new URL(`/settings?tab=${tab}`, page.url()).href);
			await page.locator('[role=tabpanel] *').first().waitFor();
			await looked(page, shots, `settings-${tab}`);
		});
}
