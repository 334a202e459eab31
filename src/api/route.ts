/**
 * A route: who may use it, what it takes, what it answers, and its handler, declared once. The router, the refusal of unknown options and `/openapi.json` all
 * read this declaration. See docs/decisions/0018-routes-declared-once.md.
 */
import type { z } from 'zod';
import type { Scope } from '../contract/scopes.ts';
import type { ApiError, ErrorCode } from '../foundation/errors.ts';
import { isStorable } from '../rows/storable.ts';
import { purposeHeader, recorded } from './audited.ts';
import { type Audited, callerOf, checked, type Http, hasBody, invalid, jsonBody, mediaType, refuseBody } from './http.ts';
import { bodyOf, type Operation, type Parameter, queryOf, type Who } from './openapi/operation.ts';
import type { OpenTools, Tools } from './tools.ts';

/** A body in JSON, both documented and parsed. */
interface JsonBody<Body> {
  schema: z.ZodType<Body>;
  example?: unknown;
  /** No body counts as `{}`. */
  isOptional?: boolean;
  /** Default: that of `jsonBody`. */
  bytesMax?: number;
  tooLarge?: (bytesMax: number) => ApiError;
}

/** What a handler gets, besides the tools. */
interface Taken<Params, Found, Query, Body> {
  params: Params;
  found: Found;
  query: Query;
  body: Body;
}

/** The names in a path: `/jobs/:id/images/:side` → `id | side`. */
type NameIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | NameIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** A route for apps says what a key must be allowed to do. */
type Access = { who: 'app' | 'test'; scope: Scope } | { who: Exclude<Who, 'app' | 'test'>; scope?: undefined };

type Wire<Path extends string, Params, Found, Query, Body, Needs extends OpenTools> = Access & {
  method: Operation['method'];
  path: Path;
  /** What it leaves in the audit. A test fails on a route that does not declare it. */
  audit?: Audited;
  /** The answer holds personal data in clear: a person needs the scope `reveal` too. */
  reveals?: true;
  /** False: repeats with an `Idempotency-Key` are carried out again, and checked again, because the answer must not outlive the right to it. */
  keepsAnswer?: false;
  /** Passes the gate of single calls instead of that of other requests. */
  isCall?: true;
  /** Holds a database connection for long, as an upload or a file of results does, and so gets one that no other request waits for. */
  isBulk?: true;
  /** Why the handler of an app's route must see more than this app's rows. Without it, `service` sees no others (docs/decisions/0020-second-wall.md). */
  beyondApp?: string;
  /** False: HEAD is refused. Hono would answer it with the GET route, which may charge for an answer that nobody reads. */
  head?: false;
  /** The values in the path, if they have a form of their own. */
  params?: z.ZodType<Params>;
  /** Finds what the path names before anything else is parsed, so that callers who may not see it learn nothing more. */
  find?: (c: Http, tools: NoInfer<Needs>) => Promise<Found>;
  query?: z.ZodType<Query>;
  /** A POST that declares no body refuses one. */
  body?: JsonBody<Body>;
  /** The documented body of a route whose handler reads it. */
  ownBody?: Record<string, unknown>;
  handle: (c: Http, given: Needs & Taken<Params, Found, Query, Body>) => Response | Promise<Response>;
};

interface Documentation {
  id: string;
  tag: string;
  summary: string;
  description?: string;
  /** Besides those in `query`: headers, parts of the path, and options that the handler reads itself. */
  parameters?: readonly Parameter[];
  answers: Operation['answers'];
  /** Besides those that follow from `who`, the path and the method. */
  errors?: readonly ErrorCode[];
  /** The handler refuses keys: a person who has signed in must do it. */
  peopleOnly?: true;
}

export interface Route<Needs extends OpenTools = Tools> {
  method: Operation['method'];
  path: string;
  who: Who;
  scope?: Scope | undefined;
  audit: Audited | undefined;
  /** Whether the answer holds personal data in clear: a person needs the scope `reveal` too. */
  reveals: boolean;
  /** Whether a repeat with the same `Idempotency-Key` gets the first answer. */
  keepsAnswer: boolean;
  /** A single call, which passes the gate of calls instead of that of other requests. */
  isCall: boolean;
  /** Why the handler of an app's route sees more than this app's rows; undefined: it does not. */
  beyondApp: string | undefined;
  head: boolean;
  /** The query parameters that it knows; null: it accepts any, because other services' clients send parameters of their own. */
  options: readonly string[] | null;
  /** Null: not for clients of this API. Those of other services are described in docs/compatibility.md. */
  operation: (() => Operation) | null;
  answer(c: Http, tools: Needs): Promise<Response>;
}

/** A documented route. It refuses query parameters that it does not declare. */
export function route<
  Path extends string,
  Params = Record<NameIn<Path>, string>,
  Found = undefined,
  Query = undefined,
  Body = undefined,
  Needs extends OpenTools = Tools,
>(declared: Wire<Path, Params, Found, Query, Body, Needs> & Documentation): Route<Needs> {
  const { method, path, who, scope, body, ownBody, id, tag, summary, description, answers, errors, peopleOnly } = declared;
  const purpose = declared.audit && 'read' in declared.audit ? [purposeHeader] : [];
  const parameters = [...(declared.query ? queryOf(declared.query) : []), ...(declared.parameters ?? []), ...purpose];
  const written = ownBody ?? (body && bodyOf(body.schema, body.example, !body.isOptional));
  const operation: Operation = {
    method,
    path,
    id,
    tag,
    summary,
    description,
    who,
    scope,
    peopleOnly,
    parameters,
    body: written,
    answers,
    errors,
  };
  const options = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  return { ...wired(declared), options, operation: () => operation };
}

/** A route that accepts any query, as clients of this API family send it. `operation`: null if it is documented elsewhere. */
export function lenientRoute<
  Path extends string,
  Params = Record<NameIn<Path>, string>,
  Found = undefined,
  Query = undefined,
  Body = undefined,
>(declared: Wire<Path, Params, Found, Query, Body, Tools>, operation: (() => Operation) | null = null): Route {
  return { ...wired(declared), options: null, operation };
}

function wired<Path extends string, Params, Found, Query, Body, Needs extends OpenTools>(
  declared: Wire<Path, Params, Found, Query, Body, Needs>,
) {
  const { method, path, who, scope, audit, reveals = false, beyondApp, head = true, params, find, query, body, ownBody, handle } = declared;
  const isBound = (who === 'app' || who === 'test') && beyondApp === undefined;
  const isBare = method === 'post' && !body && !ownBody;
  const takesNothing = !params && !find && !query && !body && !path.includes('/:');
  const toolsFor = openBoundTools<Needs>();
  return {
    method,
    path,
    who,
    scope,
    audit,
    reveals,
    keepsAnswer: declared.keepsAnswer ?? true,
    isCall: declared.isCall ?? false,
    beyondApp,
    head,
    async answer(c: Http, given: Needs): Promise<Response> {
      const tools = isBound ? toolsFor(given, given.service.forApp(callerOf(c).appId, declared.isBulk ? 'bulk' : 'short')) : given;
      if (isBare) await refuseBody(c);
      const taken = takesNothing
        ? undefined
        : {
            ...tools,
            params: params ? checked(params, c.req.param()) : c.req.param(),
            found: find && (await find(c, tools)),
            query: query && checked(query, storableQuery(c)),
            body: body && (await readBody(c, body)),
          };
      // Undeclared parts have the type of their absence: `undefined`, and text for the values in the path.
      const answer = await handle(c, (taken ?? tools) as Needs & Taken<Params, Found, Query, Body>);
      return audit && 'read' in audit ? recorded(c, tools.service, audit.read, answer) : answer;
    },
  };
}

/** The tools with an app's service, made once for each app: copying them costs as much as reading a call's input. */
function openBoundTools<Needs extends OpenTools>(): (tools: Needs, service: Needs['service']) => Needs {
  const known = new WeakMap<Needs['service'], Needs>();
  return (tools, service) => {
    const bound = known.get(service) ?? { ...tools, service };
    known.set(service, bound);
    return bound;
  };
}

/** Postgres has no text with a NUL: refused here, so that no route needs to think of it. */
function storableQuery(c: Http): Record<string, string> {
  const query = c.req.query();
  const garbled = Object.keys(query).filter((name) => !isStorable(query[name]!));
  if (garbled.length === 0) return query;
  throw invalid(garbled.map((path) => ({ path, message: 'must not contain a NUL', rule: 'invalid_characters' })));
}

/** Without a body, an optional one counts as an empty object. Any other body is read, so that no option is overlooked. */
function readBody<Body>(c: Http, { schema, isOptional, bytesMax, tooLarge }: JsonBody<Body>): Promise<Body> | Body {
  if (isOptional && !hasBody(c) && mediaType(c) === '') return checked(schema, {});
  return jsonBody(c, schema, bytesMax, tooLarge);
}
