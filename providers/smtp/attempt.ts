// Sends one message through a relay and records a transcript for the settings screen's relay test.
import type { HandoffResult, Handoff } from '#areas/delivery/server/relays/provider.ts';
import { classify, noReply } from './classify.ts';
import { mailFromLine, putDot, rcptLine, stuffDots, countDots } from './envelope.ts';
import {
  type SmtpListener,
  OpeningError,
  openConversation,
  type SmtpSession,
  type OpeningConversation,
} from './opening.ts';
import type { SmtpOptions } from './options.ts';

export type SmtpAttempt = {
  /** The relay's reply to the message, or the reason it was not sent. */
  result: HandoffResult;
  /**
   * The transcript without secrets. A `note` is an event that is not a line of the conversation.
   */
  lines: { who: 'us' | 'relay' | 'note'; text: string }[];
};

/**
 * Never throws for errors of the relay or the network: the last line of the transcript reports
 * them.
 */
export async function attemptSmtp(
  options: SmtpOptions,
  message: Handoff,
  signal: AbortSignal,
): Promise<SmtpAttempt> {
  const lines: SmtpAttempt['lines'] = [];
  const listener: SmtpListener = (speaker, text) =>
    lines.push({ who: speaker, text: text.trimEnd() });
  try {
    const { conversation, extensions } = await openConversation(options, signal, listener);
    try {
      const result = await handOff(
        conversation,
        options,
        message,
        extensions.has('SIZE'),
        listener,
      );
      return { result, lines };
    } finally {
      conversation.destroy();
    }
  } catch (error) {
    const result =
      error instanceof OpeningError
        ? error.result
        : noReply('connect', 'deferred', (error as Error).message);
    // The relay's own refusal is already in the transcript.
    if (result.code === 0) listener('note', result.reply);
    return { result, lines };
  }
}

async function handOff(
  conversation: OpeningConversation,
  options: SmtpOptions,
  message: Handoff,
  hasSize: boolean,
  listener: SmtpListener,
): Promise<HandoffResult> {
  const { limits } = options;
  const session = { hasSize } as SmtpSession;
  await conversation.sendCommand(mailFromLine(message, session).trimEnd(), 'mail', limits.mail);
  await conversation.sendCommand(rcptLine(message).trimEnd(), 'rcpt', limits.rcpt);
  const data = await conversation.sendCommand('DATA', 'data', limits.data);
  if (data.code !== 354) {
    return noReply('data', 'deferred', `Unexpected reply: ${data.code} ${data.text}`);
  }
  const buffer = Buffer.alloc(message.size * 2 + 64);
  let end = message.write(buffer, 0);
  end = stuffDots(buffer, 0, end, countDots(buffer, 0, end));
  const sentText = buffer.toString('latin1', 0, putDot(buffer, 0, end));
  for (const line of sentText.split('\r\n').slice(0, -1)) listener('us', line);
  const { code, text } = await conversation.command(
    buffer.subarray(0, sentText.length),
    'dot',
    limits.dot,
  );
  await conversation.sendCommand('QUIT', 'mail', limits.quit).catch(() => undefined);
  return classify('dot', code, text);
}
