// Thumbnail pages of templates: each version is rendered once per process, no matter how many
// requests wait for it. If rendering exceeds its time limit, as it can on a busy machine, the
// response is an error with Retry-After.
import { AppError } from '#platform/server/errors.ts';
import { ContentError } from '../personalization/message-source.ts';
import { renderPlainEmailPage } from '../email-page.ts';

/** Maximum characters of all stored pages together; a page has about 30,000. */
const MAX_CHARACTERS = 16_000_000;

const RETRY_SECONDS = 2;

export class Thumbnails {
  private readonly pages = new Map<string, string>();
  private readonly pendingPages = new Map<string, Promise<string>>();
  private cachedCharacters = 0;

  /**
   * Returns the stored page or renders it. `key` contains the account and the version of all
   * inputs.
   * @throws AppError unavailable if rendering exceeds its time limit; a retry may succeed
   */
  async getPage(key: string, render: () => Promise<string>): Promise<string> {
    const cachedPage = this.pages.get(key);
    if (cachedPage !== undefined) {
      // The least recently used page is the first of the map.
      this.pages.delete(key);
      this.pages.set(key, cachedPage);
      return cachedPage;
    }
    const running = this.pendingPages.get(key);
    if (running) return running;
    const pendingPage = renderPage(render).finally(() => this.pendingPages.delete(key));
    this.pendingPages.set(key, pendingPage);
    const page = await pendingPage;
    this.store(key, page);
    return page;
  }

  private store(key: string, page: string): void {
    if (page.length > MAX_CHARACTERS / 8) return;
    this.pages.set(key, page);
    this.cachedCharacters += page.length;
    for (const [oldest, { length }] of this.pages) {
      if (this.cachedCharacters <= MAX_CHARACTERS) return;
      this.pages.delete(oldest);
      this.cachedCharacters -= length;
    }
  }
}

/** Renders a page; content that cannot be rendered gets an empty thumbnail. */
async function renderPage(render: () => Promise<string>): Promise<string> {
  try {
    return await render();
  } catch (error) {
    if (error instanceof ContentError) return renderPlainEmailPage('');
    if (!(error instanceof AppError) || error.code !== 'document_too_slow') throw error;
    throw new AppError('unavailable', { retryAfterSeconds: RETRY_SECONDS });
  }
}

export const thumbnails = new Thumbnails();
