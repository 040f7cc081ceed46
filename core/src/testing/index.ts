/**
 * A simulated world: clock, network, page, server, and hub. Applications test their registry in it without sleeping. A seed repeats a run.
 *
 * @module @edict/core/testing
 */

export { createSimulation } from './simulation.ts';
export type { Simulation, SimulationOptions } from './simulation.ts';
export type { SimulatedBrowser, SimulatedTab } from './browser.ts';
export type { ClientOptions, LogLine, Reload, SimulatedClient } from './client.ts';
export type { HubConnection, HubRefusal, HubRestart, SimulatedHub } from './hub.ts';
export type { LinkRates, SimulatedLink } from './link.ts';
export type { ReceivedRequest } from './network.ts';
export type { RouteCall, RouteHandler } from './routes.ts';
export type { SimulatedPage } from './page.ts';
