//! Files of sound decoded by symphonia, told by their content: one channel at the rate that Whisper hears.

use std::fs::File;
use std::path::Path;

use symphonia::core::audio::{AudioBufferRef, SampleBuffer};
use symphonia::core::codecs::{CODEC_TYPE_NULL, Decoder, DecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatOptions, FormatReader};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::probe::Hint;

use super::blocks::{LONGEST, RATE, quietest};
use super::resample::Resampler;

/// Longest sound of one file: a day.
const MOST: usize = 24 * 3600 * RATE;

/// A file of sound, decoded as it is asked for.
pub(super) struct Sound {
    reader: Box<dyn FormatReader>,
    decoder: Box<dyn Decoder>,
    track: u32,
    /// The rate of the file and what brings it to ours; made by the first packet, since headers may lie.
    resampler: Option<(u32, Resampler)>,
    waiting: Vec<f32>,
    given: usize,
    damaged: u32,
    ended: bool,
}

impl Sound {
    /// Opens a file; in words why it cannot be.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let stream = MediaSourceStream::new(Box::new(file), Default::default());
        let (formats, metadata) = (FormatOptions::default(), MetadataOptions::default());
        let probed = symphonia::default::get_probe().format(&Hint::new(), stream, &formats, &metadata);
        let reader = probed.map_err(|error| format!("no sound that can be decoded: {error}"))?.format;
        let track = reader.tracks().iter().find(|track| track.codec_params.codec != CODEC_TYPE_NULL);
        let track = track.ok_or("it holds no sound")?;
        let decoder = symphonia::default::get_codecs()
            .make(&track.codec_params, &DecoderOptions::default())
            .map_err(|error| format!("its sound cannot be decoded: {error}"))?;
        let track = track.id;
        let (resampler, waiting) = (None, Vec::new());
        Ok(Self { reader, decoder, track, resampler, waiting, given: 0, damaged: 0, ended: false })
    }

    /// Packets that could not be decoded.
    pub(super) fn damaged(&self) -> u32 {
        self.damaged
    }

    /// The next block of samples at [`RATE`]; `None` at the end.
    pub(super) fn block(&mut self) -> Result<Option<Vec<f32>>, String> {
        while self.waiting.len() < LONGEST && !self.ended {
            self.packet()?;
        }
        let end = if self.waiting.len() > LONGEST { quietest(&self.waiting[..LONGEST]) } else { self.waiting.len() };
        if end == 0 {
            return Ok(None);
        }
        self.given += end;
        if self.given > MOST {
            return Err(format!("it is longer than {} hours", MOST / RATE / 3600));
        }
        let rest = self.waiting.split_off(end);
        Ok(Some(std::mem::replace(&mut self.waiting, rest)))
    }

    fn packet(&mut self) -> Result<(), String> {
        let packet = match self.reader.next_packet() {
            Ok(packet) if packet.track_id() == self.track => packet,
            Ok(_) => return Ok(()),
            // A file cut short gives what there is of it.
            Err(_) => {
                self.ended = true;
                if let Some((_, resampler)) = &mut self.resampler {
                    resampler.finish(&mut self.waiting);
                }
                return Ok(());
            }
        };
        match self.decoder.decode(&packet) {
            Ok(sound) => take(&sound, &mut self.resampler, &mut self.waiting),
            Err(Error::DecodeError(_) | Error::IoError(_) | Error::ResetRequired) => {
                self.damaged = self.damaged.saturating_add(1);
                Ok(())
            }
            Err(error) => Err(format!("its sound cannot be decoded: {error}")),
        }
    }
}

/// The mean of the channels, at our rate.
#[expect(clippy::cast_precision_loss, reason = "channels of a file")]
fn take(
    sound: &AudioBufferRef<'_>,
    resampler: &mut Option<(u32, Resampler)>,
    out: &mut Vec<f32>,
) -> Result<(), String> {
    let spec = *sound.spec();
    if sound.frames() == 0 {
        return Ok(());
    }
    let mut samples = SampleBuffer::<f32>::new(sound.capacity() as u64, spec);
    samples.copy_interleaved_ref(sound.clone());
    let channels = spec.channels.count().max(1);
    let finite = |sample: &f32| if sample.is_finite() { sample.clamp(-1.0, 1.0) } else { 0.0 };
    let mean = |frame: &[f32]| frame.iter().map(finite).sum::<f32>() / channels as f32;
    let mono: Vec<f32> = samples.samples().chunks_exact(channels).map(mean).collect();
    if usize::try_from(spec.rate).is_ok_and(|rate| rate == RATE) && resampler.is_none() {
        out.extend(mono);
        return Ok(());
    }
    if resampler.as_ref().is_none_or(|(rate, _)| *rate != spec.rate) {
        let made = Resampler::new(spec.rate).ok_or_else(|| format!("{} samples a second", spec.rate))?;
        *resampler = Some((spec.rate, made));
    }
    if let Some((_, resampler)) = resampler {
        resampler.push(&mono, out);
    }
    Ok(())
}
