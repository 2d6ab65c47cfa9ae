using System.IO;
using System.Text;

public sealed class Report
{
    private readonly string path;

    public Report(string path)
    {
        this.path = path;
    }

    public void Write(string text)
    {
        var stream = File.Create(path);
        var bytes = Encoding.UTF8.GetBytes(text);
        stream.Write(bytes, 0, bytes.Length);
    }
}
