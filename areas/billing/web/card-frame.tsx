// Loads the card form in its frame and gets a nonce, a single-use token for a card, from it.
import { useComputedColorScheme } from '@mantine/core';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';

/** The payment to authenticate at the bank. */
interface CardPayment {
  /** In decimal notation, such as `12.50`. */
  amount: string;
  email: string;
}

export interface CardFrameHandle {
  /**
   * Gets a nonce for the payment, authenticated by the bank if required. Undefined if the input is
   * invalid or the card is refused, which the form itself reports, or if a later call replaces this
   * one.
   */
  createNonce(payment: CardPayment): Promise<string | undefined>;
}

interface Props {
  ref: Ref<CardFrameHandle>;
  token: string;
  address: string;
  /**
   * Whether the frame also shows the bank's challenges. They fail in a sandboxed frame, so the
   * frame is not sandboxed then; its page belongs to the product and has its own content security
   * policy.
   */
  hasBankChallenges: boolean;
  /**
   * Called with true once the form accepts requests or shows why it failed, and with false before
   * that and after its removal.
   */
  onReady: (isReady: boolean) => void;
  /** Called on Enter in the form. */
  onEnter: () => void;
}

type FrameMessage = { from?: string; is?: string; card?: string; height?: number };

export function CardFrame({ ref, token, address, hasBankChallenges, onReady, onEnter }: Props) {
  const t = useTexts('billing');
  const scheme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const waiting = useRef<(card: string | undefined) => void>(undefined);
  const enter = useRef(onEnter);
  enter.current = onEnter;
  const [height, setHeight] = useState(170);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    onReady(isReady);
    return () => onReady(false);
  }, [isReady, onReady]);
  const post = (message: object) =>
    frame.current?.contentWindow?.postMessage(message, location.origin);
  useImperativeHandle(ref, () => ({
    createNonce: (payment) =>
      new Promise((resolve) => {
        waiting.current?.(undefined);
        waiting.current = resolve;
        post({ is: 'submit', ...payment });
      }),
  }));
  useEffect(() => {
    const onMessage = (event: MessageEvent<FrameMessage>) => {
      if (event.origin !== location.origin || event.source !== frame.current?.contentWindow) return;
      const { from, is, card, height: tall } = event.data;
      if (from !== 'card-form') return;
      if (is === 'loaded') post({ is: 'begin', token });
      if (is === 'ready' || is === 'failed') setReady(true);
      if (is === 'height' && tall) setHeight(Math.min(tall, 700));
      if (is === 'enter') enter.current();
      if (is === 'card' || is === 'invalid') {
        waiting.current?.(card);
        waiting.current = undefined;
      }
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, [token]);
  return (
    <>
      {!isReady && <LoadingState rows={3} />}
      <iframe
        ref={frame}
        className={classes.frame}
        title={t('checkout.card')}
        sandbox={
          hasBankChallenges ? undefined : 'allow-scripts allow-same-origin allow-forms allow-popups'
        }
        src={`${address}&scheme=${scheme}`}
        style={{ blockSize: isReady ? height : 0 }}
      />
    </>
  );
}
