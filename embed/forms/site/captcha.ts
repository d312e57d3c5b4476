// A third-party captcha in a frame of our host inside the form: none of its code runs on the page
// itself.

const WIDTH = 304;
const HEIGHT = 80;

export type Captcha = {
  frame: HTMLIFrameElement;
  /** Requests a new challenge after the token was used or rejected. */
  again(): void;
};

/** @param onToken receives the token, and '' once it has expired or `again` was called */
export function createCaptchaFrame(
  address: string,
  origin: string,
  onToken: (token: string) => void,
): Captcha {
  const frame = document.createElement('iframe');
  frame.src = address;
  frame.title = 'Captcha';
  frame.className = 'sender-form-captcha';
  const fit = (width: number, height: number) => {
    frame.width = String(Math.min(500, Math.max(WIDTH, width)));
    frame.height = String(Math.min(640, Math.max(HEIGHT, height)));
  };
  fit(WIDTH, HEIGHT);
  addEventListener('message', ({ source, origin: from, data }) => {
    if (source !== frame.contentWindow || from !== origin) return;
    const { sendloom, token, size } = (data ?? {}) as Record<string, unknown>;
    if (sendloom !== 'captcha') return;
    if (typeof token === 'string') onToken(token);
    // The image challenge needs more space than the widget.
    if (Array.isArray(size)) fit(Number(size[0]) || 0, Number(size[1]) || 0);
  });
  return {
    frame,
    again() {
      onToken('');
      fit(WIDTH, HEIGHT);
      frame.src = address;
    },
  };
}
