// Every two seconds, load the page again and put what it shows in place of what is shown. Pictures are loaded before,
// so that nothing flickers, and what was opened stays open.
const every = 2000

async function look() {
  const answer = await fetch("/")
  if (!answer.ok) throw new Error(answer.statusText)
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html")
  const shown = new Set([...document.images].map(image => image.src))
  await Promise.all([...fresh.querySelectorAll("img:not([loading])")].filter(image => !shown.has(image.src)).map(image => {
    const early = new Image()
    early.src = image.src
    return early.decode().catch(() => {}) // the page will show its alt text
  }))
  for (const open of document.querySelectorAll("details[open]")) {
    const same = fresh.getElementById(open.id)
    if (same) same.open = true
  }
  document.title = fresh.title
  document.querySelector("main").replaceWith(fresh.querySelector("main"))
}

async function repeat() {
  const ended = document.getElementById("ended")
  try {
    await look()
    ended.hidden = true
  } catch {
    ended.hidden = false
  }
  setTimeout(repeat, every)
}

setTimeout(repeat, every)
