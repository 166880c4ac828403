//! The smallest application of `restride` in a browser, as README has it, for scripts to call: what a page loads for one copy.
//! The tests beside it run in a page too.

use restride::DType;
use restride::gpu::{Copier, Tensor};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// The columns of the `height` x `width` matrix `bytes`, one after the other, by the browser's WebGPU.
///
/// # Errors
///
/// A JavaScript error where the browser grants no adapter or device, and with the library's text where `bytes` are not
/// `height` x `width`.
#[wasm_bindgen]
pub async fn transpose(height: u32, width: u32, bytes: Vec<u8>) -> Result<Vec<u8>, JsError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter = instance.request_adapter(&Default::default()).await?;
    let (device, queue) = adapter.request_device(&Default::default()).await?;
    let copier = Copier::new(&device)?;
    let shape = [height.into(), width.into()];
    let matrix = Tensor::upload(&device, DType::UInt8, &shape, &bytes)?;
    Ok(matrix.transpose().read(&copier, &queue).await?)
}
