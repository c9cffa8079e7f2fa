// The "back" link of a job leads to the search results that it was opened from. Their address is stored in this tab only,
// because the page of a job is the same for every visitor. Without this script the link leads to all jobs.

const KEY = "results";
const link = document.querySelector("[data-back]");

if (document.getElementById("results")) {
  // When the page is left, because filters change the address without a new page.
  addEventListener("pagehide", () => inThisTab((store) => store.setItem(KEY, location.pathname + location.search)));
} else if (link) {
  const found = inThisTab((store) => store.getItem(KEY));
  const target = found && new URL(found, location.origin);
  if (target && target.origin === location.origin && target.pathname === link.pathname && target.search !== link.search) {
    link.href = target.href;
    link.lastElementChild.textContent = link.dataset.back;
  }
  link.addEventListener("click", (event) => {
    const plain = !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    // Going one step back also restores the scroll position of that page.
    if (plain && window.parent === window && history.length > 1 && document.referrer === link.href) {
      event.preventDefault();
      history.back();
    }
  });
}

function inThisTab(use) {
  try {
    return use(sessionStorage);
  } catch {
    return null; // a browser may refuse
  }
}
