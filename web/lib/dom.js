// dom.js - builds elements from data. Text is only set as text, so nothing in a trace can
// become markup.

// h('td', {class: 'num', title: '1 ns'}, '1') creates an element. The property `on` is an object of
// listeners. `style` is an object of CSS properties, which are set through the style object because
// the content policy allows this. true sets an empty attribute; null, undefined and false omit the
// attribute.
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

// A list of facts, [term, value]; facts without a value are omitted.
export function facts(rows) {
	return h(
		'dl',
		{class: 'facts'},
		rows
			.filter(([, value]) => value !== null && value !== undefined && value !== '')
			.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))),
	);
}

// A control with its label above it.
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

// A button for an action that cannot be undone: the first click shows a confirmation, the second
// click performs the action. If the button loses the focus, the action is canceled.

export function confirmButton(text, confirmation, label, act) {
	let confirming = false;
	const button = h(
		'button',
		{
			type: 'button',
			'aria-label': label,
			on: {
				click: () => {
					if (confirming) return act();
					setConfirming(true);
				},
				blur: () => setConfirming(false),
			},
		},
		text,
	);

	// The accessible name contains the confirmation while it is shown.
	function setConfirming(value) {
		confirming = value;
		button.textContent = value ? confirmation : text;
		button.setAttribute('aria-label', value ? `${confirmation} ${label}` : label);
	}

	return button;
}
