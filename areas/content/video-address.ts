// Addresses of videos whose thumbnails are public: YouTube and Vimeo.

export type Video = { service: 'youtube' | 'vimeo'; id: string; page: string };

/** Returns the video of a page's address, or undefined for other addresses. */
export function parseVideo(address: string): Video | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const host = url.hostname.replace(/^(?:www|m|music)\./, '');
  if (host === 'youtu.be') return toYoutubeVideo(url.pathname.split('/')[1]);
  if (host === 'youtube.com' || host === 'youtube-nocookie.com') {
    const [, id] = /^\/(?:shorts|embed|live|v)\/([^/]+)/.exec(url.pathname) ?? [];
    return toYoutubeVideo(id ?? url.searchParams.get('v') ?? undefined);
  }
  if (host !== 'vimeo.com' && host !== 'player.vimeo.com') return undefined;
  // The path of an unlisted video has a second part, without which its data cannot be read.
  const [, id, secret] = /\/(\d{3,15})(?:\/([\da-f]{6,20}))?(?:\/|$)/.exec(url.pathname) ?? [];
  if (id === undefined) return undefined;
  const hash = secret ?? url.searchParams.get('h')?.replace(/[^\da-f]/g, '');
  return { service: 'vimeo', id, page: `https://vimeo.com/${id}${hash ? `/${hash}` : ''}` };
}

function toYoutubeVideo(id: string | undefined): Video | undefined {
  if (id === undefined || !/^[\w-]{11}$/.test(id)) return undefined;
  return { service: 'youtube', id, page: `https://www.youtube.com/watch?v=${id}` };
}
