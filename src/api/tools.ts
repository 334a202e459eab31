/** What handlers work with besides the request: opened once for a service, and passed to each handler. */
import { configureLists, type ListDefinition } from '../aml/definitions.ts';
import { openWaiters, type Waiters } from '../batches/waiters.ts';
import { portraitChecker } from '../faces/portrait.ts';
import { openPlaces, type Places } from '../foundation/places.ts';
import type { Service } from '../pipeline/service.ts';
import type { CheckPortrait } from '../sandbox/portraits/enrol.ts';
import type { Authentication } from './authenticate.ts';
import type { Docs } from './docs.ts';
import type { ProcessState } from './health.ts';
import { openStreams, type SendStream } from './streams.ts';
import { openUploads, type Uploads } from './uploads.ts';

/** What the routes on the operations port need. */
export interface OpenTools {
  service: Service;
  state: ProcessState;
}

export interface Tools extends OpenTools {
  watch: Waiters;
  docs: Docs;
  /** The watch lists for live keys. */
  lists: readonly ListDefinition[];
  forgetKeys: Authentication['forget'];
  receiveUpload: Uploads;
  sendFile: SendStream;
  sendEvents: SendStream;
  /** What a picture must contain, such as a face; undefined: anything. */
  checkPortrait?: CheckPortrait;
  /** For messages of one provider at a time: until the signature is checked, the sender may be anybody. */
  messagePlaces(provider: string): Places;
  /** Writes one report at a time in a process: one of 200 hits takes 60 MB and half a second. */
  writeReport(write: () => Promise<Buffer>): Promise<Buffer>;
}

const STREAM_RETRY_SECONDS = 30;
const MESSAGES_MAX = 8;
const MESSAGE_RETRY_SECONDS = 5;

export function openTools(service: Service, state: ProcessState, docs: Docs, forgetKeys: () => void): Tools {
  const { config } = service;
  const streams = (what: string, all: number) => openStreams({ all, what, retrySeconds: STREAM_RETRY_SECONDS, service });
  return {
    service,
    state,
    docs,
    forgetKeys,
    watch: openWaiters(service),
    lists: configureLists(config),
    receiveUpload: openUploads(service),
    sendFile: streams('downloads', config.CONFAM_DOWNLOADS_MAX),
    sendEvents: streams('event streams', config.CONFAM_EVENT_STREAMS_MAX),
    checkPortrait: service.faces ? portraitChecker(service.faces) : undefined,
    messagePlaces: openMessagePlaces(),
    writeReport: openTurns(),
  };
}

function openMessagePlaces(): Tools['messagePlaces'] {
  const places = new Map<string, Places>();
  return (provider) => {
    const made =
      places.get(provider) ??
      openPlaces({ all: MESSAGES_MAX, each: Number.POSITIVE_INFINITY, what: 'messages', retrySeconds: MESSAGE_RETRY_SECONDS });
    places.set(provider, made);
    return made;
  };
}

function openTurns(): Tools['writeReport'] {
  let before: Promise<unknown> = Promise.resolve();
  return (write) => {
    const mine = before.then(write);
    before = mine.catch(() => {});
    return mine;
  };
}
