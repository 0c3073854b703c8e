/* time_bucket.c - finds the bucket of a duration by comparing integers.
 *
 * The octave is the highest bit. Within the octave, the duration is compared
 * with the integer parts of 2^63 * 2^(k/32). Only the first of these borders is
 * an integer, so a duration is never equal to any other border. Therefore
 * "greater than the integer part" means "beyond the border". */
#include "time_bucket.h"

/* floor(2^63 * 2^(k/32)), computed with integer roots. */
static const uint64_t border[32] = {
	0x8000000000000000,
	0x82CD8698AC2BA1D7,
	0x85AAC367CC487B14,
	0x88980E8092DA8527,
	0x8B95C1E3EA8BD6E6,
	0x8EA4398B45CD53C0,
	0x91C3D373AB11C336,
	0x94F4EFA8FEF70961,
	0x9837F0518DB8A96F,
	0x9B8D39B9D54E5538,
	0x9EF5326091A111AD,
	0xA27043030C496818,
	0xA5FED6A9B15138EA,
	0xA9A15AB4EA7C0EF8,
	0xAD583EEA42A14AC6,
	0xB123F581D2AC258F,
	0xB504F333F9DE6484,
	0xB8FBAF4762FB9EE9,
	0xBD08A39F580C36BE,
	0xC12C4CCA66709456,
	0xC5672A115506DADD,
	0xC9B9BD866E2F27A2,
	0xCE248C151F8480E3,
	0xD2A81D91F12AE45A,
	0xD744FCCAD69D6AF4,
	0xDBFBB797DAF23755,
	0xE0CCDEEC2A94E111,
	0xE5B906E77C8348A8,
	0xEAC0C6E7DD24392E,
	0xEFE4B99BDCDAF5CB,
	0xF5257D152486CC2C,
	0xFA83B2DB722A033A,
};

int16_t time_bucket(int64_t dur_ns)
{
	if (dur_ns <= 0)
		return -1;
	int octave = 63 - __builtin_clzll((unsigned long long)dur_ns);
	uint64_t at = (uint64_t)dur_ns << (63 - octave);
	int from = 0, to = 32;

	while (to - from > 1) {
		int middle = (from + to) / 2;
		if (at > border[middle])
			from = middle;
		else
			to = middle;
	}
	return (int16_t)(octave * 32 + from);
}
