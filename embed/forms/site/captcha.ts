// Somebody else's captcha, in a frame of our host inside the form: nothing of theirs runs on the page itself.

/** @param tell gets the token, and nothing once it has run out */
export function captchaFrame(
  address: string,
  origin: string,
  tell: (token: string) => void,
): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.src = address;
  frame.title = 'Captcha';
  frame.width = '304';
  frame.height = '80';
  frame.className = 'sender-form-captcha';
  addEventListener('message', (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    const { sendloom, token } = (event.data ?? {}) as { sendloom?: string; token?: unknown };
    if (sendloom === 'captcha' && typeof token === 'string') tell(token);
  });
  return frame;
}
