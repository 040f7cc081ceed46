/**
 * A simulated world: clock, network, page, server and hub. A registry is tested in it without sleeping, and a run is repeated by its seed.
 *
 * @module @edict/core/testing
 */

export { createSimulation } from './simulation.ts';
export type { Simulation, SimulationOptions } from './simulation.ts';
export type { ClientOptions, LogLine, Reload, SimulatedClient } from './client.ts';
export type { HubConnection, HubRefusal, HubRestart, SimulatedHub } from './hub.ts';
export type { LinkRates, SimulatedLink } from './link.ts';
export type { ReceivedRequest } from './network.ts';
export type { RouteCall, RouteHandler } from './routes.ts';
export type { SimulatedPage } from './page.ts';
