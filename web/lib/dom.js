// dom.js - elements from data: text is only ever set as text, so nothing that
// comes out of a trace can become markup.

// h('td', {class: 'num', title: '1 ns'}, '1') makes an element. Among the
// properties, `on` is a table of listeners, `style` one of CSS properties (set
// through the style object, which the content policy allows); true sets an
// empty attribute, null, undefined and false leave it out.
export function h(tag, props, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(props ?? {})) {
		if (value === null || value === undefined || value === false) continue;
		if (key === 'on') for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
		else if (key === 'style') for (const [name, text] of Object.entries(value)) node.style.setProperty(name, text);
		else node.setAttribute(key, value === true ? '' : value);
	}
	node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
	return node;
}

// A list of facts, [term, value]; those without a value are left out.
export function facts(rows) {
	return h(
		'dl',
		{class: 'facts'},
		rows
			.filter(([, value]) => value !== null && value !== undefined && value !== '')
			.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))),
	);
}

// A labelled control: label above, the control named by it.
export function field(label, control, hint) {
	const id = `field-${label.toLowerCase().replace(/[^a-z]+/g, '-')}`;
	control.id = id;
	if (hint) control.setAttribute('aria-describedby', `${id}-hint`);
	return h(
		'div',
		{class: 'field'},
		h('label', {for: id}, label),
		control,
		hint ? h('p', {class: 'hint', id: `${id}-hint`}, hint) : null,
	);
}

// Labels of an upload or a run as small tags.
export function tags(labels) {
	return h(
		'span',
		{class: 'tags'},
		Object.entries(labels ?? {})
			.sort()
			.map(([k, v]) => h('span', {class: 'tag'}, `${k}=${v}`)),
	);
}

// A button for what cannot be undone: the first press asks, the second
// does it. Leaving it takes the first one back.

export function confirmButton(text, question, label, act) {
	let sure = false;
	const button = h(
		'button',
		{
			type: 'button',
			'aria-label': label,
			on: {
				click: () => {
					if (sure) return act();
					become(true);
				},
				blur: () => become(false),
			},
		},
		text,
	);

	// What it asks is its name as long as it asks.
	function become(asking) {
		sure = asking;
		button.textContent = asking ? question : text;
		button.setAttribute('aria-label', asking ? `${question} ${label}` : label);
	}

	return button;
}
