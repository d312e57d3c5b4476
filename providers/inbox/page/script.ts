// The script of the inbox's pages: the product's light or dark theme, and a list that updates as
// messages arrive.
export const INBOX_SCRIPT = `
const scheme = localStorage.getItem('mantine-color-scheme-value');
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.theme = scheme;

async function refresh() {
  const list = document.getElementById('list');
  if (!list || list.dataset.live !== 'yes' || document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = next.getElementById('list');
    if (fresh && fresh.innerHTML !== list.innerHTML && !list.contains(document.activeElement)) {
      list.innerHTML = fresh.innerHTML;
    }
  } catch {
    // The server is stopped; the next attempt may succeed.
  }
}

setInterval(refresh, 2000);
document.addEventListener('visibilitychange', refresh);
document.addEventListener('click', (event) => {
  const row = event.target instanceof Element && event.target.closest('#list tbody tr');
  if (row && !event.target.closest('a') && getSelection()?.isCollapsed) row.querySelector('a')?.click();
});
`;
