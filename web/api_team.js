// api_team.js - the server's addresses for who may do what, what is kept how long
// and whom to tell; it is api.js that asks.

import {address, ask} from './api.js';

const json = async (path, query, options) => (await ask(address(path, query), options)).json();
const put = (path, method, body) => json(path, {}, {method, body: JSON.stringify(body)});
const drop = (path) => ask(address(path), {method: 'DELETE'});

export const session = (signal) => json('/session', {}, {signal});
export const signIn = (token) => put('/session', 'POST', {token});
export const signOut = () => drop('/session');

export const tokens = (query, signal) => json('/tokens', query, {signal});
export const makeToken = (wish) => put('/tokens', 'POST', wish);
export const dropToken = (id) => drop(`/tokens/${id}`);
export const audit = (query, signal) => json('/audit', query, {signal});

export const retention = (signal) => json('/retention', {}, {signal});
export const keepRetention = (items) => put('/retention', 'PUT', {items});

export const webhooks = (query, signal) => json('/webhooks', query, {signal});
export const makeWebhook = (wish) => put('/webhooks', 'POST', wish);
export const dropWebhook = (id) => drop(`/webhooks/${id}`);
export const testWebhook = (id) => ask(address(`/webhooks/${id}/test`), {method: 'POST'});
export const deliveries = (id, signal) => json(`/webhooks/${id}/deliveries`, {limit: 50}, {signal});
