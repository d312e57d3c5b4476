// Types for the parts of oidc-provider in use; the package has none.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Context = {
    req: IncomingMessage;
    status: number;
    type: string;
    body: unknown;
    redirect(url: string): void;
    oidc: { result?: { login?: unknown; consent?: { grantId?: string } }; route?: string };
  };
  type Client = { clientId: string; clientName?: string; grantTypeAllowed(type: string): boolean };
  type Interaction = {
    uid: string;
    params: Record<string, unknown>;
    returnTo: string;
  };
  class Grant {
    constructor(properties: { accountId: string; clientId: string });
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  export const errors: Record<
    'InvalidTarget' | 'InvalidGrant',
    new (
      description?: string,
    ) => Error
  >;
  export namespace interactionPolicy {
    class Check {
      constructor(reason: string, description: string, check: (context: Context) => boolean);
    }
    class Prompt {
      constructor(info: { name: string; requestable: boolean }, ...checks: Check[]);
    }
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    Grant: typeof Grant;
    Client: { find(id: string): Promise<Client | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
    ): Promise<string>;
    on(event: string, listener: (...values: unknown[]) => void): void;
  }
}
