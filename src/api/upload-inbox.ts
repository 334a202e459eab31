/** One end of the channel between an upload and its thread. Messages arrive in order, and each is taken when it is asked for. */
import type { MessagePort } from 'node:worker_threads';

/** The other end has gone. */
export class PortClosed extends Error {}

export class Inbox<Message, Answer> {
  private readonly port: MessagePort;
  private readonly messages: Message[] = [];
  private isClosed = false;
  private wake: () => void = () => {};

  constructor(port: MessagePort) {
    this.port = port;
    port.on('message', (message: Message) => {
      this.messages.push(message);
      this.wake();
    });
    port.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  say(answer: Answer): void {
    this.port.postMessage(answer);
  }

  /** The next message; throws `PortClosed` if none follows. */
  async take(): Promise<Message> {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined) return message;
      if (this.isClosed) throw new PortClosed();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.port.close();
  }
}
