import IndexProgram

/// The entry point. All other code is in a library, which tests can import.
@main enum Main {
    static func main() async {
        await Index.main()
    }
}
