// SPDX-License-Identifier: Apache-2.0
//! Read a file in CMSIS-SVD as svd2rust does, and print its registers and their fields, a line each.

use std::process::ExitCode;

use svd_parser::{parse_with_config, svd, Config, ValidateLevel};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("the path of a file");
    let text = std::fs::read_to_string(path).expect("a file that can be read");
    let config = Config::default().validate_level(ValidateLevel::Strict).expand(true).expand_properties(true);
    match parse_with_config(&text, &config) {
        Ok(device) => device.peripherals.iter().for_each(print),
        Err(error) => {
            eprintln!("{error:#}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn print(peripheral: &svd::Peripheral) {
    for register in peripheral.all_registers() {
        let properties = &register.properties;
        let access = properties.access.map_or("", |access| access.as_str());
        let size = properties.size.unwrap_or(0);
        println!("{} {:#x} {} {}", register.name, register.address_offset, size, access);
        for field in register.fields() {
            println!("{}.{} {} {}", register.name, field.name, field.bit_offset(), field.bit_width());
        }
    }
}
