/** One simulated vendor: handles a request from its arrival to the last byte of its answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../foundation/errors.ts';
import { type Behaviour, type Decision, openBehaviour } from './behaviour.ts';
import { openJobs } from './jobs.ts';
import { enlargePictures } from './pictures.ts';
import { openRegistry, type Question, readQuestion, subjectOf } from './questions.ts';
import { openReplays } from './replays.ts';
import { foundReply, type Reply, rateLimited, refusalOf, refusalReply } from './replies.ts';
import { authenticate, parseObject, preferredWaitMs, readRequest, readText, type SimulatedRequest } from './request.ts';
import { readScript, type Script } from './script.ts';
import { send, write } from './send.ts';
import type { Counter } from './stats.ts';

export interface Vendor {
  /** `arrivedMs`: `performance.now()`. */
  serve(request: IncomingMessage, response: ServerResponse, arrivedMs: number): Promise<void>;
  /** Restarts timetable, draws, limit and credit. Throws `ConfigError`. */
  setScript(script: unknown): Script;
}

export function openVendor(script: unknown, counter: Counter): Vendor {
  let behaviour: Behaviour;
  let creditUsed: number;
  const setScript = (next: unknown): Script => {
    behaviour = openBehaviour(readScript(next), performance.now());
    creditUsed = 0;
    return behaviour.script;
  };
  setScript(script);

  const registry = openRegistry();
  const ask = async (question: Question) => {
    const finding = await registry(question);
    if (finding.found) {
      creditUsed += 1;
      counter.found(subjectOf(question));
      const { picture_bytes } = behaviour.at(performance.now());
      if (picture_bytes > 0) return { found: true as const, entity: enlargePictures(finding.entity, question.check, picture_bytes) };
    }
    return finding;
  };
  const jobs = openJobs(ask);
  const replays = openReplays();

  async function serve(request: IncomingMessage, response: ServerResponse, arrivedMs: number): Promise<void> {
    const asked = readRequest(request, arrivedMs);
    counter.arrived(arrivedMs, asked.pattern, asked.key);
    response.once('close', () => counter.left());
    const decision = behaviour.decide(arrivedMs, counter.inFlight);
    if (decision.settings.down) return void request.socket.destroy();
    if (decision.fault === 'reset') return void request.socket.resetAndDestroy();
    if (decision.fault === 'hang') return;
    const reply = await answer(asked, decision).catch((error: unknown) => refusalReply(refusalOf(error)));
    const written = await write(reply, decision);
    if (behaviour.at(performance.now()).down) return void request.socket.destroy();
    // A client that has hung up in the meantime gets nothing.
    if (response.destroyed) return;
    counter.answered(written.status);
    await send(response, written);
  }

  async function answer(asked: SimulatedRequest, decision: Decision): Promise<Reply> {
    const { settings, limited, fault, latencyMs } = decision;
    if (limited) throw rateLimited(settings.limit!.retry_after_seconds);
    if (fault === 'rate_limited') throw rateLimited(settings.rate_limited_rate!.retry_after_seconds);
    authenticate(asked.request, behaviour.script.credentials);
    const text = asked.method === 'POST' ? await readText(asked.request) : '';
    const carryOut = async (): Promise<Reply> => {
      if (latencyMs > 0) await sleep(latencyMs);
      if (fault === 'error') throw new ApiError('internal', 'Something went wrong');
      return route(asked, text, decision);
    };
    return asked.key === undefined ? carryOut() : replays.once(asked.key, `${asked.path}\n${text}`, carryOut);
  }

  async function route(asked: SimulatedRequest, text: string, { settings, pendingMs }: Decision): Promise<Reply> {
    if (asked.job !== null) return jobs.read(asked.job);
    if (!asked.call && !asked.isSubmission) throw new ApiError('resource_not_found', 'There is no such path');
    if (settings.out_of_credit_after !== null && creditUsed >= settings.out_of_credit_after)
      throw new ApiError('insufficient_funds', 'The wallet does not cover the price');
    const fields = asked.method === 'GET' ? Object.fromEntries(new URLSearchParams(asked.query)) : parseObject(text);
    if (!asked.call) return jobs.submit(fields, pendingMs, preferredWaitMs(asked.request));
    const question = readQuestion(asked.call, fields);
    const finding = await ask(question);
    if (finding.found) return foundReply(question, finding.entity, Math.round(performance.now() - asked.arrivedMs));
    throw new ApiError('record_not_found', `The registry has no record for this ${Object.keys(asked.call.input.shape)[0]}`);
  }

  return { serve, setScript };
}
