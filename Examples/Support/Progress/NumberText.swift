/// Functions that format numbers for the user.
package enum NumberText {
    /// Returns a size such as "3.4 MiB".
    package static func size(_ bytes: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(Double(Int(value * 10)) / 10) \(units[unit])"
    }
}
