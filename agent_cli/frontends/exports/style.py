"""How an exported session looks in a browser."""

STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1c2330;
  --dim: #5b6577; --line: #dfe3ea; --said: #e8f0ff; --good: #17703c; --bad: #b3261e;
  --code: #f0f2f5; --accent: #2f5fd0; }
@media (prefers-color-scheme: dark) { :root { --back: #14171c; --card: #1c2027;
  --text: #e4e8ef; --dim: #98a2b3; --line: #313845; --said: #1f2d47; --good: #5fce8d;
  --bad: #ff8f85; --code: #242a33; --accent: #8db0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2, h3, h4 { font-size: .8rem; font-weight: 600; color: var(--dim); margin: 0 0 .35rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr));
  gap: .6rem 1.5rem; margin: 0 0 2rem; padding: 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; }
dt { font-size: .75rem; color: var(--dim); }
dd { margin: 0; font-size: .9rem; }
.turn { margin: 0 0 1.75rem; }
.said { background: var(--said); border-radius: .6rem; padding: .8rem 1rem; margin: 0 0 1rem; }
.said h2 { color: var(--accent); }
.answer { padding: 0 1rem; margin: 0 0 1rem; }
.prose > div { white-space: pre-wrap; margin: 0 0 .6rem; }
.prose code { font: .85em ui-monospace, monospace; background: var(--code);
  border-radius: .25rem; padding: .1em .3em; }
.said p { margin: .4rem 0 0; }
.said .prose > :last-child, .done .prose > :last-child { margin-bottom: 0; }
.task > .turn:last-child { margin-bottom: .6rem; }
pre { background: var(--code); border-radius: .4rem; padding: .6rem .8rem; margin: 0 0 .6rem;
  font: .82rem/1.5 ui-monospace, monospace; white-space: pre-wrap; max-height: 30rem;
  overflow: auto; }
details { border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
  margin: 0 0 .5rem; padding: .45rem .8rem; }
details[open] > summary { margin-bottom: .6rem; }
summary { cursor: pointer; font-size: .88rem; }
summary code { color: var(--dim); font: .82rem ui-monospace, monospace; }
summary i { font-style: normal; }
.fine > summary i { color: var(--good); }
.wrong > summary i { color: var(--bad); }
.task { border-left: 3px solid var(--accent); padding-left: .8rem; margin: .6rem 0; }
.task .answer { padding: 0; }
.done { border-left: 3px solid var(--good); padding: .3rem 0 .3rem .9rem; margin: .8rem 0; }
.event { padding: 0 1rem; margin: 0 0 .8rem; font-size: .88rem; }
.event b { color: var(--dim); font-weight: 600; font-size: .8rem; }
.event code { font: .82rem ui-monospace, monospace; }
.undone { opacity: .62; }
.undone .undone { opacity: 1; }
@media (max-width: 40rem) { .answer, .event { padding: 0 .2rem; } main { padding: 1rem .7rem; } }
@media print { pre { max-height: none; } }
"""
