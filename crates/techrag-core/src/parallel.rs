//! An order-keeping parallel map with bounded memory.
//!
//! Items go to workers as they come; results leave in the order the items came. At most `in_flight` items are between
//! the source and the sink (gitoxide's in-order iterator with permits added, since its buffer is unbounded). The sink
//! hears [`Event::Idle`] whenever it would have to wait, so that it can flush: a tool that reads one line, answers it
//! and waits for the next can serve as a co-process.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread;

use crossbeam_channel::{Receiver, TryRecvError, bounded, unbounded};

/// How wide to work.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// Number of worker threads, at least 1.
    pub threads: usize,
    /// Most items between source and sink, at least `threads`.
    pub in_flight: usize,
}

impl Width {
    /// Twice as many items in flight as threads: enough that a worker never waits for the sink, few enough that memory
    /// stays bounded by a handful of items.
    pub fn of(threads: usize) -> Self {
        let threads = threads.max(1);
        Self { threads, in_flight: threads * 2 }
    }
}

/// What the sink hears.
#[derive(Debug)]
pub enum Event<O> {
    /// The next result, in the order of the source.
    Item(O),
    /// Nothing is ready; flush what was written.
    Idle,
}

/// Maps every item of `source` on several threads and hands the results to `sink` in order, on the caller's thread.
///
/// # Errors
/// The first error of the sink, in order; the source is then read no further than the items already in flight. While
/// the source blocks, so does the return of the error.
pub fn map_ordered<I, O, E>(
    width: Width,
    source: impl Iterator<Item = I> + Send,
    map: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(Event<O>) -> Result<(), E>,
) -> Result<(), E>
where
    I: Send,
    O: Send,
{
    let (permit, permits) = bounded::<()>(width.in_flight.max(width.threads).max(1));
    let (work, todo) = bounded::<(u64, I)>(width.threads);
    let (done, results) = unbounded::<(u64, O)>();
    thread::scope(|scope| {
        scope.spawn(move || {
            for item in (0..).zip(source) {
                // Either channel is closed only when the sink has failed.
                if permit.send(()).is_err() || work.send(item).is_err() {
                    return;
                }
            }
        });
        for _ in 0..width.threads.max(1) {
            let (todo, done, map) = (todo.clone(), done.clone(), &map);
            scope.spawn(move || {
                for (at, item) in todo {
                    if done.send((at, map(item))).is_err() {
                        return;
                    }
                }
            });
        }
        drop((todo, done));
        collect(results, permits, &mut sink)
    })
}

/// Takes the receivers by value: when the sink fails they close, and with them the source's and the workers' channels.
fn collect<O, E>(
    results: Receiver<(u64, O)>,
    permits: Receiver<()>,
    sink: &mut impl FnMut(Event<O>) -> Result<(), E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    loop {
        let (at, result) = match results.try_recv() {
            Ok(result) => result,
            Err(TryRecvError::Disconnected) => return Ok(()),
            Err(TryRecvError::Empty) => {
                sink(Event::Idle)?;
                match results.recv() {
                    Ok(result) => result,
                    Err(_) => return Ok(()),
                }
            }
        };
        early.insert(at, result);
        while let Some(result) = early.remove(&next) {
            next += 1;
            sink(Event::Item(result))?;
            // One permit was taken for each item before it was sent to work.
            let _ = permits.try_recv();
        }
    }
}

/// Groups items as they come: a group is closed when it is full, or when the next item is not there yet.
pub struct Batches<T> {
    items: Mutex<Receiver<T>>,
    size: usize,
}

impl<T> Batches<T> {
    /// Groups of at most `size` (at least 1) items of a channel.
    pub fn new(items: Receiver<T>, size: usize) -> Self {
        Self { items: Mutex::new(items), size: size.max(1) }
    }
}

impl<T> Iterator for Batches<T> {
    type Item = Vec<T>;

    fn next(&mut self) -> Option<Vec<T>> {
        let items = self.items.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut batch = vec![items.recv().ok()?];
        while batch.len() < self.size {
            match items.try_recv() {
                Ok(item) => batch.push(item),
                Err(_) => break,
            }
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn items(events: &mut Vec<u64>) -> impl FnMut(Event<u64>) -> Result<(), ()> {
        |event| {
            if let Event::Item(item) = event {
                events.push(item);
            }
            Ok(())
        }
    }

    #[test]
    fn results_leave_in_the_order_items_came() {
        for threads in [1, 2, 7] {
            let mut seen = Vec::new();
            // Early items take longest, so that an unordered map would get this wrong.
            let slow_first = |n: u64| {
                thread::sleep(Duration::from_micros(500_u64.saturating_sub(n * 5)));
                n
            };
            map_ordered(Width::of(threads), 0..100, slow_first, items(&mut seen)).unwrap();
            assert_eq!(seen, (0..100).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn no_more_items_are_in_flight_than_allowed() {
        let (alive, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let source = (0..200_u64).inspect(|_| {
            let now = alive.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
        });
        let width = Width { threads: 2, in_flight: 4 };
        map_ordered(
            width,
            source,
            |n| n,
            |event| {
                if let Event::Item(_) = event {
                    thread::sleep(Duration::from_micros(50));
                    alive.fetch_sub(1, Ordering::SeqCst);
                }
                Ok::<_, ()>(())
            },
        )
        .unwrap();
        // One more is held by the thread that waits for a permit.
        assert!(most.load(Ordering::SeqCst) <= 5, "{most:?}");
    }

    #[test]
    fn the_sink_hears_idle_before_a_wait_and_its_error_stops_the_source() {
        let (send, receive) = unbounded();
        let mut events = Vec::new();
        send.send(1_u64).unwrap();
        let result = map_ordered(
            Width::of(2),
            receive.iter(),
            |n| n,
            |event| {
                match event {
                    Event::Idle if events == [1] => {
                        events.push(0);
                        send.send(2).map_err(|_| "closed")
                    }
                    Event::Idle => Ok(()),
                    Event::Item(2) => {
                        // Wake the source, which waits for more, so that the scope can end.
                        let _ = send.send(3);
                        Err("stop")
                    }
                    Event::Item(n) => {
                        events.push(n);
                        Ok(())
                    }
                }
            },
        );
        assert_eq!((result, events), (Err("stop"), vec![1, 0]));
    }

    #[test]
    fn a_batch_closes_when_full_or_when_nothing_is_there() {
        let (send, receive) = unbounded();
        (0..5).for_each(|n| send.send(n).unwrap());
        let mut batches = Batches::new(receive, 3);
        assert_eq!(batches.next(), Some(vec![0, 1, 2]));
        assert_eq!(batches.next(), Some(vec![3, 4]));
        drop(send);
        assert_eq!(batches.next(), None);
    }
}
